package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/config"
)

// documents lists the Markdown of the repository, but for what others have written.
func documents(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md", "conformance/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 40 {
		t.Fatalf("only %d documents were found", len(files))
	}
	return files
}

// aroundFragments is the configuration into which fragments of documents are put. It has what fragments take for granted.
const aroundFragments = `
listen: 127.0.0.1:0
admin: ""
tls: {cert: server.pem, key: server.key, client_ca: clients.pem}
auth:
  keys: [{name: web, sha256: "<hex>"}]
  jwt: {issuer: "https://login.example.com/", audience: agents, jwks: "https://login.example.com/keys.json"}
  forward: {url: "http://127.0.0.1:4180/auth", headers: [X-Auth-Request-User]}
upstreams:
  agent: {url: "http://127.0.0.1:9000/stream", dialect: native}
routes:
  - {path: /run, upstream: agent, client: native}
`

// TestFragmentsInDocuments: a part of a configuration that a document shows is accepted where it belongs.
func TestFragmentsInDocuments(t *testing.T) {
	dir := t.TempDir()
	filesOfFragments(t, dir)
	for _, name := range []string{"OTLP_TOKEN", "REDIS_PASSWORD", "SENTINEL_PASSWORD", "OPENCODE_BASIC"} {
		t.Setenv(name, "secret")
	}
	t.Setenv("REDIS_URL", "rediss://127.0.0.1:6379/0")
	fragments := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```yaml(?: title=\"([^\"]*)\")?\n(.*?)```").FindAllSubmatch(text, -1) {
			if whole := inConfiguration(t, block[2]); whole != nil {
				fragments++
				path := filepath.Join(dir, "sabir.yaml")
				put(t, path, whole)
				if o := sabir(t, "", "check", "--config", path); o.status != exitOK {
					t.Errorf("%s: %s\n%s", file, o.stdout+o.stderr, block[2])
				}
			} else if title := string(block[1]); title != "" {
				put(t, filepath.Join(dir, title), block[2])
			}
		}
	}
	if fragments < 20 {
		t.Errorf("only %d fragments were found", fragments)
	}
}

// inConfiguration puts a fragment into a configuration. It is nil for dialects.
func inConfiguration(t *testing.T, fragment []byte) []byte {
	t.Helper()
	var around, own map[string]any
	if err := yaml.Unmarshal([]byte(aroundFragments), &around); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(fragment, &own); err != nil {
		t.Fatalf("%v\n%s", err, fragment)
	}
	var top struct{ Properties map[string]any }
	if err := json.Unmarshal(config.Schema(), &top); err != nil {
		t.Fatal(err)
	}
	isTop := func(name string) bool { return top.Properties[name] != nil }
	switch {
	case own["listen"] != nil:
		return fragment
	case own["decode"] != nil, own["samples"] != nil:
		return nil // a dialect, of which the tests of adapters/declared are
	case slices.ContainsFunc(slices.Collect(maps.Keys(own)), isTop):
		mergeInto(around, own)
	default: // keys of an upstream
		mergeInto(around["upstreams"].(map[string]any)["agent"].(map[string]any), own)
	}
	whole, err := yaml.Marshal(around)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(whole, []byte("<hex>"), []byte(config.HashKey("a key")))
}

// mergeInto sets what own has in around, map by map.
func mergeInto(around, own map[string]any) {
	for key, value := range own {
		inner, isMap := value.(map[string]any)
		if outer, both := around[key].(map[string]any); isMap && both {
			mergeInto(outer, inner)
		} else {
			around[key] = value
		}
	}
}

// filesOfFragments writes the files that fragments name.
func filesOfFragments(t *testing.T, dir string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	certificate, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	homemade, err := os.ReadFile(homemade)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"dialects/homemade.yaml": homemade}
	for _, name := range []string{"server", "clients", "admin", "operators", "store-ca"} {
		files[name+".pem"] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
		files[name+".key"] = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	}
	for name, content := range files {
		put(t, filepath.Join(dir, name), content)
	}
}

// put writes a file, and the folders that it is in.
func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	linkTo    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
)

// TestLinksInDocuments: what documents link to is there: files, and sections of Markdown.
func TestLinksInDocuments(t *testing.T) {
	links := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		prose := codeSpan.ReplaceAll(codeBlock.ReplaceAll(text, nil), []byte("code"))
		for _, m := range linkTo.FindAllSubmatch(prose, -1) {
			if target := string(m[1]); !strings.Contains(target, "://") {
				links++
				if problem := brokenLink(file, target); problem != "" {
					t.Errorf("%s links to %s: %s", file, target, problem)
				}
			}
		}
	}
	if links < 200 {
		t.Errorf("only %d links were found", links)
	}
	for _, wrong := range []string{"nowhere.md", "operations.md#nowhere"} {
		if brokenLink("../../docs/index.md", wrong) == "" {
			t.Errorf("a link to %s is not noticed", wrong)
		}
	}
}

// brokenLink says what is wrong with a link.
func brokenLink(file, target string) string {
	path, section, _ := strings.Cut(target, "#")
	if path != "" {
		file = filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
	}
	if _, err := os.Stat(file); err != nil {
		return err.Error()
	}
	if section == "" || filepath.Ext(file) != ".md" {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	for _, m := range heading.FindAllSubmatch(codeBlock.ReplaceAll(text, nil), -1) {
		if slug(string(m[1])) == section {
			return ""
		}
	}
	return "there is no such section"
}

// slug is the anchor of a heading, as the repository and the site make it.
func slug(title string) string {
	title = linkTo.ReplaceAllString(title, "")
	return regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ReplaceAll(strings.ToLower(title), " ", "-"), "")
}
