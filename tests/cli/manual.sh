# SPDX-License-Identifier: BSD-3-Clause
# manual.sh -- runs every command that a page of the manual shows in a block of sh, top to bottom, on
# the files that the page has its reader save ("Save this as `X`", "Add this to `X`", then a block of
# ini). Commands that cannot run here are listed in "elsewhere" with the reason; a line of that list
# that matches no command is a mistake, as is a page without commands.
#
# 02 is run by tutorial.sh, 07 by choose.sh and 13 by plugin.sh, which also check their output.
set -u
top=$(pwd)
. tests/ask.sh

# PAGE|PATTERN of commands|why they are not run here
cat >elsewhere <<'END'
01|make*|builds the tree that this test is a part of
01|sudo *|root: tests/cli/install.sh installs below a folder
01|cc *|an installed Weir: tests/cli/install.sh and embed.sh build such programs
08|weir reproduce pred/fig13 --full|hours
08|weir reproduce mine --papers papers --full|half a minute of processor time
08|weir reproduce --summary --ship|writes into the papers' folders: tests/cli/reproduce.sh ships to a copy
09|ip *|root and network namespaces: tests/cli/switch.sh
09|weir switch *|a switch that runs: tests/cli/switch.sh
09|weir table sw.results|results of that switch
09|weir report sw.results|results of that switch
09|weir testbed *|root, namespaces, seconds of real time: tests/cli/testbed.sh
09|weir table testbed.testbed.results|results of that testbed
09|weir report testbed.testbed.results|results of that testbed
10|weir keeper *|a switch: tests/cli/keeper*.sh, tests/keeper
10|systemctl *|systemd and an installed package
11|mpirun *|Open MPI and a cluster: tests/cluster/mpi.sh and ranks.sh
11|srun *|Slurm: tests/cluster/slurm.sh
11|weir submit mine.ini --slurm --sbatch=*|Slurm: tests/cluster/slurm.sh
11|weir status*|Slurm: tests/cluster/slurm.sh
11|podman *|a container engine and the network
11|apptainer *|a container engine and the network
15|apt *|root and a package archive
15|pip *|changes an environment: python/tests/test_parts.py builds and uses the wheel
15|make *|installs: tests/cli/install.sh installs below a folder
12|weir train *|minutes: tests/cli/train.sh and learn.sh train for less
12|weir model mine.model|the model that such a training makes
12|weir run mine.ini --set 'switch.tune=*|the model that such a training makes
12|tools/acc-proof.py *|minutes, and such a model
END
: >matched

# is_elsewhere PAGE COMMAND: listed above? Notes the line that says so.
is_elsewhere() {
	while IFS='|' read -r page pattern reason; do
		[ "$page" = "$1" ] || continue
		# shellcheck disable=SC2254
		case $2 in
		$pattern)
			echo "$page|$pattern|$reason" >>"$dir/matched"
			return 0
			;;
		esac
	done <"$dir/elsewhere"
	return 1
}

# A scenario of the reader's own, for pages that show none.
small_scenario() {
	cat <<-'END'
		# small
		[network]
		topology = leaf-spine
		leaves = 2
		spines = 2
		hosts-per-leaf = 2
		[traffic web]
		pattern = all-to-all
		sizes = fixed(size=20KB)
		load = 0.3
		flows = 40
		[sweep]
		switch.marking = none, ecn
		seed = 1..2
	END
}

ran=0
for file in "$top"/docs/manual/[0-9]*.md; do
	name=$(basename "$file" .md) number=${name%%-*}
	case $number in 02 | 07 | 13) continue ;; esac
	mkdir "$dir/$name" && cd "$dir/$name" || exit 1
	ln -s "$top/scenarios" scenarios
	[ "$number" != 11 ] || small_scenario >mine.ini
	commands=0 block='' save='' paragraph=''
	while IFS= read -r line; do
		case $block:$line in
		:'```sh') block=sh ;;
		:'```ini') block=${save:+ini} block=${block:-text} ;;
		:'```'*) block=text ;;
		*:'```') [ "$block" != ini ] || save='' ; block='' ;;
		ini:*) printf '%s\n' "$line" >>"$save" ;;
		sh:*)
			commands=$((commands + 1))
			is_elsewhere "$number" "$line" && continue
			case $line in
			'weir '*) ;;
			*) fail "$name: neither a command of weir nor listed in tests/cli/manual.sh: $line" ;;
			esac
			# Ranks share one run: the sweep of the small scenario is reduced to one combination.
			case $line in *--ranks*) line="$line --set sweep.switch.marking=ecn --set sweep.seed=1" ;; esac
			eval "\"$weir\" ${line#weir }" >out 2>err </dev/null || fail "$name: $line"
			ran=$((ran + 1))
			;;
		:) paragraph= ;;
		:*)
			paragraph="$paragraph $line"
			case $paragraph in
			*'ave this as `'*'`'* | *'dd this to `'*'`'*)
				save=$(printf '%s\n' "$paragraph" | sed 's/.*\(ave this as\|dd this to\) `\([^`]*\)`.*/\2/')
				mkdir -p "$(dirname "$save")"
				;;
			esac
			;;
		esac
	done <"$file"
	case $number in 14 | 15) ;; *) [ "$commands" -ge 3 ] || fail "$name: only $commands commands" ;; esac
done
cd "$dir" || exit 1
sort -u matched >used
sort elsewhere | comm -13 used - >unused
[ ! -s unused ] || { cat unused; echo "tests/cli/manual.sh: the manual shows no such command"; exit 1; }
[ "$ran" -ge 45 ] || { echo "only $ran commands were run"; exit 1; }
echo "$ran commands, $(wc -l <used) listed as run elsewhere"
