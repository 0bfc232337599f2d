"""Entry point of a process that loads CSV files: `python -I -S <this file> <import roots>`, as query processes have
it."""

import os
import sys

if __name__ == "__main__":
    sys.path.extend(sys.argv[1].split(os.pathsep))
    from askwell.csv_files.worker.serving import main

    main()
