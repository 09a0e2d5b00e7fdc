# SPDX-License-Identifier: BSD-3-Clause
# The Python package: its tests, its notebooks and its manual page, as "make test-python" runs them.
set -eu
exec tools/test-python.sh
