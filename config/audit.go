package config

// Audit is a line of JSON for each run: who ran what, which tools were called, which questions were answered and how, and how it ended.
// It holds no content. Whether there is an audit at all, chain and queue take effect with a restart; path with a reload.
type Audit struct {
	// A file that is appended to, seen from the folder of the configuration file, or stdout. It is opened again with the configuration,
	// so that it can be moved away.
	Path string `yaml:"path" jsonschema:"required"`
	// Whether each line has the hash of the one before, so that "sabir audit verify" finds lines that were changed, removed or moved.
	Chain bool `yaml:"chain"`
	// How many lines may wait for the disk; more are dropped, which is counted, and said in the next line.
	Queue int `yaml:"queue" jsonschema:"minimum=1,maximum=1000000"`
}

// AuditStdout is the path of standard output.
const AuditStdout = "stdout"

func (a *Audit) inherit(*Config) { a.Queue = 4096 }

// audit checks where lines go.
func (v *validator) audit(a *Audit) {
	v.check(a == nil || a.Path != "" || !v.stands("audit.path"), "audit.path", "must not be empty; a file, or stdout")
}
