"""Makes what the site builder reads: the written pages, and pages generated from the program itself."""
