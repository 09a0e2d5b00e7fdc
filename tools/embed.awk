# SPDX-License-Identifier: BSD-3-Clause
# embed.awk -- writes the files of workloads/ as the C table that sim/traffic/workload.h declares.
function quote(text)
{
	gsub(/\\/, "&&", text)
	gsub(/"/, "\\\"", text)
	gsub(/\t/, "\\t", text)
	gsub(/\?/, "\\?", text)
	return "\"" text
}

BEGIN {
	print "#include \"sim/traffic/workload.h\"\n"
	print "const struct workload_file workload_files[] = {"
}

FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.txt$/, "", name)
	help = $0
	sub(/^# */, "", help)
	print "\t{\n\t\t" quote(name) "\",\n\t\t" quote(help) "\","
}

{
	print "\t\t" quote($0) "\\n\""
}

END {
	if (NR)
		print "\t},"
	print "\t{ 0, 0, 0 },\n};"
}
