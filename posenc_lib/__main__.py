import signal
import sys

from posenc_lib.tools.commands import main

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
