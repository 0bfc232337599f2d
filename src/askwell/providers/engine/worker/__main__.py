"""Entry point of a query process: `python -I -S <this file> <import roots>`.

Started by file name in isolated mode, so that neither the environment nor the working directory decides what is
imported: the roots on the command line do.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.extend(sys.argv[1].split(os.pathsep))
    from askwell.providers.engine.worker.serving import main

    main()
