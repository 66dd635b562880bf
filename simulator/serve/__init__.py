"""`numasim serve`: a page on this computer where threads are placed by hand and each change is run at once.

The server (`server`, `app`, `guard`) simulates nothing itself: what is asked for goes to worker processes (`pool`, `worker`),
which can be ended in the middle of a run, and comes back as the text of an answer (`tasks`).
"""
