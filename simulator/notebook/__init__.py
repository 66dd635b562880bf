"""What notebooks need beside the library: pictures, tables and sliders as outputs of a cell."""
