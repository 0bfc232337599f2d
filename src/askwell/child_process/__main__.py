"""Entry point of every child process: `python -I -S <this file> <import roots> <module>`.

Started by file name in isolated mode, so that neither the environment nor the working directory decides what is
imported: the roots on the command line do. Then the module's `main` serves.
"""

import os
import sys
from importlib import import_module

if __name__ == "__main__":
    sys.path.extend(sys.argv[1].split(os.pathsep))
    import_module(sys.argv[2]).main()
