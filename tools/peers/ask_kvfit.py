"""kvfit's own command with the hub's address taken from HF_ENDPOINT, which it does not read itself."""
import os
import sys

import kvfit.dpa
import kvfit.hf
from kvfit.cli import main

kvfit.hf.HF_BASE = kvfit.dpa.HF_BASE = os.environ["HF_ENDPOINT"]
sys.argv[0] = "kvfit"
sys.exit(main())
