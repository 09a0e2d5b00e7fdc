# SPDX-License-Identifier: BSD-3-Clause
# fdcc-proof.awk FILES -- part of fdcc-proof.sh. FILES has a line "SETTING BDP_BYTES runs.csv" for each setting.
# Prints means over seeds by setting, number of flows and control (of the unfair ratio also minimum and
# maximum), then which targets each model reaches.

# Splits a line of CSV with quoted fields into part[1..n]; returns n.
function fields(line, part,   n, c, i, quoted) {
	n = 1
	part[1] = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\"")
			quoted = !quoted
		else if (c == "," && !quoted)
			part[++n] = ""
		else
			part[n] = part[n] c
	}
	return n
}

function value(name) {
	return part[at[name]] + 0
}

{
	setting = $1
	bdp = $2
	file = $3
	delete at
	getline line < file
	n = fields(line, head)
	for (i = 1; i <= n; i++)
		at[head[i]] = i
	while ((getline line < file) > 0) {
		fields(line, part)
		name = part[at["case"]]
		flows = value("traffic.fan-in.senders")
		if ("traffic.fan-in.flows-each" in at && value("traffic.fan-in.flows-each"))
			flows *= value("traffic.fan-in.flows-each")
		place = setting " " flows
		if (!(place in seen_place)) {
			seen_place[place] = 1
			places[++place_count] = place
		}
		if (!(name in seen)) {
			seen[name] = 1
			order[++controls] = name
			is_fdcc_model[name] = part[at["host.cc"]] ~ /^fdcc.*model=.*\// && part[at["host.cc"]] !~ /preset=thesis/
		}
		key = name SUBSEP place
		count[key]++
		jain[key] += value("jain")
		ratio = value("unfair_ratio")
		unfair[key] += ratio
		if (count[key] == 1 || ratio < smallest[key])
			smallest[key] = ratio
		if (count[key] == 1 || ratio > largest[key])
			largest[key] = ratio
		queue[key] += value("queue_mean_bytes") / bdp
		if (value("queue_mean_pkts") > 0)
			p99[key] += value("queue_p99_pkts") * value("queue_mean_bytes") / value("queue_mean_pkts") / bdp
		use[key] += value("utilisation")
	}
	close(file)
}

# The target: fairer than HPCC and than that DCQCN, a short queue, high utilisation.
function reaches(name, place, dcqcn,   k, h, d) {
	k = name SUBSEP place
	h = "hpcc" SUBSEP place
	d = dcqcn SUBSEP place
	return unfair[k] / count[k] < unfair[h] / count[h] && unfair[k] / count[k] < unfair[d] / count[d] && \
		queue[k] / count[k] < 1 && use[k] / count[k] >= 0.97 * use[h] / count[h]
}

function show_reached(dcqcn,   i, j, reached) {
	printf "\nfairer than hpcc and %s, queue below 1, use at least 0.97 of hpcc's:\n", dcqcn
	for (j = 1; j <= controls; j++)
		if (is_fdcc_model[order[j]]) {
			printf "%-18s", order[j]
			reached = 0
			for (i = 1; i <= place_count; i++) {
				reached += reaches(order[j], places[i], dcqcn)
				printf " %s:%s", places[i], (reaches(order[j], places[i], dcqcn) ? "yes" : "no")
			}
			printf ", %d of %d\n", reached, place_count
		}
}

END {
	for (i = 1; i <= place_count; i++) {
		printf "%s%-18s %7s %8s %17s %9s %9s %7s\n", (i == 1 ? "" : "\n"), places[i], "Jain", "unfair", "from..to", "queue", "p99", "use"
		for (j = 1; j <= controls; j++) {
			k = order[j] SUBSEP places[i]
			if (!count[k])
				continue
			c = count[k]
			printf "%-18s %7.4f %8.4f %8.4f..%-7.4f %9.3f %9.2f %7.3f\n", order[j], jain[k] / c, unfair[k] / c, smallest[k], largest[k], queue[k] / c, p99[k] / c, use[k] / c
		}
	}
	show_reached("dcqcn-paper")
	show_reached("dcqcn")
}
