// Gives the precompiled header a target to belong to; has no code of its own.
