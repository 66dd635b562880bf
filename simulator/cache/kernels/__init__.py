"""The compiled cache model; nothing here is imported before accesses are filtered."""
