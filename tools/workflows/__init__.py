"""Tools that list, check, edit, test and step through workflows."""
