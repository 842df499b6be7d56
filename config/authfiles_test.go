package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeysDir: each file is a key; what cannot be one is refused, and no error repeats it.
func TestKeysDir(t *testing.T) {
	f := func(name, want string, files map[string]string) {
		t.Helper()
		dir := t.TempDir()
		for file, text := range files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		auth := Auth{KeysDir: dir, Keys: []Key{{Name: "web", SHA256: HashKey("the key of the web page")}}}
		keys, err := auth.AllKeys()
		switch {
		case want == "" && (err != nil || len(keys) != 2):
			t.Errorf("%s: %v %v", name, keys, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	const good = "a-secret-that-is-long-enough"
	f("keys, hidden files and folders", "", map[string]string{"mobile": good + "\n", ".hidden": "x", "..data/x": "x"})
	f("the shortest key", "", map[string]string{"mobile": good[:16]})
	f("the longest key", "", map[string]string{"mobile": strings.Repeat("k", 4<<10)})
	f("a key that is too short by one", "must hold one key", map[string]string{"mobile": good[:15]})
	f("a key that is too long by one", "must hold one key", map[string]string{"mobile": strings.Repeat("k", 4<<10+1)})
	f("a short key", "must hold one key", map[string]string{"mobile": "secret"})
	f("an empty file", "must hold one key", map[string]string{"mobile": "\n"})
	f("two keys", "must hold one key", map[string]string{"mobile": good + "\n" + good + "2\n"})
	f("no text", "must hold one key", map[string]string{"mobile": good + "\x00"})
	f("a bad name", "its name", map[string]string{"two words": good})
	f("the name of another", "two keys of the name", map[string]string{"web": good})
	f("the key of another", "the same key", map[string]string{"mobile": good, "tablet": good})
}

// TestWarnings: an admin address that others can reach, without a key, is said.
func TestWarnings(t *testing.T) {
	for admin, want := range map[string]int{
		"127.0.0.1:9090": 0, "[::1]:9090": 0, "localhost:9090": 0, "": 0, "0.0.0.0:9090": 1, ":9090": 1, "10.0.0.1:9090": 1, "host:9090": 1,
	} {
		c := &Config{Admin: Admin{Listen: admin}}
		if got := len(c.Warnings()); got != want {
			t.Errorf("%q: %d warnings", admin, got)
		}
		c.Admin.TLS = &ServerTLS{ClientCA: "operators.pem"}
		if got := c.Warnings(); len(got) != 0 {
			t.Errorf("%q with certificates of operators: %v", admin, got)
		}
		c.Admin.TLS = &ServerTLS{}
		if got := len(c.Warnings()); got != want {
			t.Errorf("%q with TLS alone: %d warnings", admin, got)
		}
		c.Auth.AdminSHA256 = HashKey("x")
		if got := c.Warnings(); len(got) != 0 {
			t.Errorf("%q with a key: %v", admin, got)
		}
	}
}
