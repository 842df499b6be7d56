package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy"
)

// TestAuditVerify: good files are good in their order, and everything else is an error that names the file and the line.
func TestAuditVerify(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "audit.jsonl.1"), filepath.Join(dir, "audit.jsonl")
	chain := proxy.ChainAudit([]string{`{"n":1}`, `{"n":2}`, `{"n":3}`})
	write := func(name string, lines ...string) {
		if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := func(want string, good bool, args ...string) {
		t.Helper()
		out, err := verifyAll(append([]string{"verify"}, args...))
		if err != nil {
			out += err.Error()
		}
		if (err == nil) != good || !strings.Contains(out, want) {
			t.Errorf("%v: %v, want %s", args, out, want)
		}
	}
	write(first, chain[0], chain[1])
	write(second, chain[2])
	f("audit.jsonl: 1 lines are as they were written", true, first, second)
	f("begins with number 3, after an earlier file", true, second)
	f("does not follow", false, second, first)
	write(first, chain[0], strings.Replace(chain[1], "2", "5", 1))
	f("line 2 was changed", false, first)
	write(first)
	f("there is no line in it", false, first)
	f("no such file", false, filepath.Join(dir, "none"))
	for _, name := range []string{first, filepath.Join(dir, "none")} {
		if got := sabir(t, "", "audit", "verify", name); got.status != exitFailed || strings.Contains(got.stderr, "--help") {
			t.Errorf("%s: status %d, %s", name, got.status, got.stderr)
		}
	}
}

func verifyAll(args []string) (string, error) {
	var out strings.Builder
	cmd := newAudit()
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}
