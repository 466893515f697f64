"""Everything that people and programs changed, in one list, each change to be taken back."""
