package config

import "path/filepath"

// Off turns something off that has several ways to be on.
const Off = "off"

// Strict is the conformance of a route that ends streams.
const Strict = "strict"

// Record says which runs of a route are written to files, in the format of docs/recordings.md. sabir replay serves them again.
type Record struct {
	// The folder of the files, seen from the folder of this file; it is made if it is not there. Empty: nothing is recorded.
	Dir string `yaml:"dir"`
	// One run in so many is recorded; 1 is every run.
	Every int `yaml:"every" jsonschema:"minimum=1"`
	// How much of a run is kept. What goes beyond is left out, and counted.
	MaxBytes Size `yaml:"max_bytes" jsonschema:"minimum=65536"`
	// How many files are kept in the folder; the oldest are removed.
	MaxFiles int `yaml:"max_files" jsonschema:"minimum=1"`
	// content is all that was said; shapes has types, lengths and times in place of it.
	Form string `yaml:"form" jsonschema:"enum=content,enum=shapes"`
	// Members of JSON whose values are left out, at any depth, such as [email, api_key]. What is no JSON, and what was written for the
	// client, is then left out as a whole.
	Redact []string `yaml:"redact"`
}

var usualRecord = Record{Every: 1, MaxBytes: 8 * MiB, MaxFiles: 1000, Form: "content"}

// recorded checks what a route records.
func (v *validator) recorded(at string, r *Record) {
	if r.Dir == "" {
		same := r.Every == usualRecord.Every && r.MaxBytes == usualRecord.MaxBytes && r.MaxFiles == usualRecord.MaxFiles && r.Form == usualRecord.Form && len(r.Redact) == 0
		v.check(same, at, "has a meaning only with dir, the folder of the files")
	}
	v.distinct(at+".redact", r.Redact)
}

// inspected checks the page of operators.
func (v *validator) inspected() {
	if v.c.Inspect == Off || v.foundIn("admin") {
		return
	}
	v.check(v.c.Admin.Listen != "", "inspect", "needs admin, the address for operators")
	v.check(!v.c.exposed(), "inspect", "needs auth.admin_sha256, a key for operators, or admin.tls.client_ca, as other machines can reach admin, %s", v.c.Admin.Listen)
}

// normalizeRecord sees the folders of recordings from dir.
func (c *Config) normalizeRecord(dir string) {
	for _, r := range c.Routes {
		if r.Record.Dir != "" && !filepath.IsAbs(r.Record.Dir) {
			r.Record.Dir = filepath.Join(dir, r.Record.Dir)
		}
	}
}
