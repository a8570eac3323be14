"""Engines keep rows, words and vectors, and find candidates in them."""
