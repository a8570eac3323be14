"""`hark chat`: an assistant in the terminal that remembers."""
