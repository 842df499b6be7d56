package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const homemade = "../../examples/dialects/homemade.yaml"

// The dialect of the tutorial is read from a file, both ways.
func TestTranslateDeclared(t *testing.T) {
	stream := "event: token\ndata: {\"text\":\"High water\"}\n\nevent: end\ndata: {\"ok\":true}\n\n"
	got := sabir(t, stream, "translate", "--declare", homemade, "--from", "homemade", "--to", "agui")
	got.want(t, exitOK, `"delta":"High water"`, "")
	back := sabir(t, got.stdout, "translate", "--declare", homemade, "--from", "agui", "--to", "homemade")
	back.want(t, exitOK, "event: token\ndata: {\"text\":\"High water\"}", "")
}

func TestTranslateDeclaredBadly(t *testing.T) {
	path := write(t, "mine.yaml", "decode:\n  text: {emit: nothing}\nframing: none\n")
	got := sabir(t, "", "translate", "--declare", path, "--declare", "no/such.yaml", "--from", "mine", "--to", "agui")
	got.want(t, exitUsage, "", "--declare: open no/such.yaml")
	if !strings.Contains(got.stderr, "mine.yaml:3:10: framing: ") {
		t.Errorf("not all problems are said:\n%s", got.stderr)
	}
}

// A configuration names the file of a dialect; problems are said where they stand in it.
func TestCheckDeclared(t *testing.T) {
	doc, err := os.ReadFile(homemade)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "sabir.yaml", `listen: 127.0.0.1:0
dialects: {mine: mine.yaml}
upstreams:
  a: {url: "http://127.0.0.1:1/", dialect: mine}
routes:
  - {path: /a, upstream: a, client: agui}
  - {path: /b, upstream: a, client: auto, default: mine}
`)
	own := filepath.Join(filepath.Dir(path), "mine.yaml")
	if err := os.WriteFile(own, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	sabir(t, "", "check", "--config", path).want(t, exitOK, "is fine: 1 upstream, 2 routes", "")

	broken := strings.Replace(string(doc), "\nframing: sse", "\nframing: none", 1)
	if err := os.WriteFile(own, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	got := sabir(t, "", "check", "--config", path)
	got.want(t, exitFailed, "", own+":")
	if !strings.Contains(got.stderr, "framing: ") || strings.Contains(got.stderr, "there is no dialect") {
		t.Errorf("got\n%s", got.stderr)
	}
}

// The proxy without a file, and the file that init writes, know a dialect of one's own. init sees its file from where it writes.
func TestOneRouteDeclared(t *testing.T) {
	flags := []string{"--to", "http://127.0.0.1:9/", "--declare", homemade, "--from", "homemade", "--client", "aisdk"}
	got := sabir(t, "", append([]string{"proxy", "--print"}, flags...)...)
	got.want(t, exitOK, "dialects:\n  homemade: "+homemade, "")
	path := filepath.Join(t.TempDir(), "sabir.yaml")
	sabir(t, "", append([]string{"init", "-o", path}, flags...)...).want(t, exitOK, "is written", "")
	sabir(t, "", "check", "--config", path).want(t, exitOK, "is fine: 1 upstream, 1 route", "")
	sabir(t, "", "proxy", "--print", "--to", "http://127.0.0.1:9/", "--declare", "no/such.yaml", "--from", "such", "--client", "aisdk").
		want(t, exitUsage, "", "--declare: open no/such.yaml")
}
