import sys

from posenc_lib.tools.commands import main

if __name__ == "__main__":
    sys.exit(main())
