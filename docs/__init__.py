"""The pages, and in `generate` what makes those of them that nobody writes by hand."""
