"""One phase: its inputs, its tool and prompts, and its rules."""
