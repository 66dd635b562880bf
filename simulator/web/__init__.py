"""What all pages share: a machine as data for its drawing, style sheets, scripts, and safe ways to put them in a page."""
