"""The walk of one call: from the answer that it brings to the next phase that must wait."""
