# SPDX-License-Identifier: BSD-3-Clause
# embed-assets.awk -- writes files as the C table that lab/report/document.h declares, each under its name.
# Drops references to source maps, which a browser would request from beside the report.
function quote(text)
{
	gsub(/\\/, "&&", text)
	gsub(/"/, "\\\"", text)
	gsub(/\t/, "\\t", text)
	gsub(/\r/, "\\r", text)
	gsub(/\?/, "\\?", text)
	return "\"" text
}

BEGIN {
	print "#include \"lab/report/report.h\"\n"
	print "const struct asset asset_all[] = {"
}

FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	print "\t{\n\t\t" quote(name) "\","
}

!/^\/[\/*]# sourceMappingURL=/ && !/SPDX-License-Identifier: BSD-3/ {
	print "\t\t" quote($0) "\\n\""
}

END {
	print "\t},\n\t{ 0, 0 },\n};"
}
