"""Entry point of a process that writes files of rows: `python -I -S <this file> <import roots>`, as query processes
have it."""

import os
import sys

if __name__ == "__main__":
    sys.path.extend(sys.argv[1].split(os.pathsep))
    from askwell.row_files.worker.serving import main

    main()
