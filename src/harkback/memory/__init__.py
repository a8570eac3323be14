"""What the memory half of the archive is made of: telling texts apart, saving, recalling. Nothing is imported here."""
