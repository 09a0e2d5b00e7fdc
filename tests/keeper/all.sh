#!/bin/sh
# What "make test-keeper" runs: what is too long for "make test". Parts without their tools say so and are left out.
set -u
failed=0
for part in faults loop uml; do
	echo "--- $part"
	sh "tests/keeper/$part.sh" || failed=1
done
exit $failed
