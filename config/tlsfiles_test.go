package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// newPair writes a certificate that signs itself, and its key.
func newPair(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})))
	return cert, key
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestServerFiles: clients are asked for a certificate where there is somebody who issues them.
func TestServerFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := newPair(t, dir, "a")
	other, _ := newPair(t, dir, "b")
	c, err := (&ServerTLS{Cert: cert, Key: key}).Server([]string{"http/1.1"})
	if err != nil || len(c.Certificates) != 1 || c.MinVersion != tls.VersionTLS12 || c.ClientAuth != tls.NoClientCert || c.ClientCAs != nil || c.NextProtos[0] != "http/1.1" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = (&ServerTLS{Cert: cert, Key: key, ClientCA: other}).Server([]string{"http/1.1"})
	if err != nil || c.ClientAuth != tls.VerifyClientCertIfGiven || c.ClientCAs == nil {
		t.Errorf("with an issuer: %+v, %v", c, err)
	}
	none := filepath.Join(dir, "none")
	for want, files := range map[string]ServerTLS{
		"cannot read the certificate: ": {Cert: none, Key: key}, "cannot read the private key": {Cert: cert, Key: none}, "are no pair": {Cert: other, Key: key},
		"cannot read the certificates: ": {Cert: cert, Key: key, ClientCA: none}, "holds no certificate": {Cert: cert, Key: key, ClientCA: key},
	} {
		if _, err := files.Server([]string{"http/1.1"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFingerprint: it changes with what the files hold.
func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	files := ServerTLS{Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key"), ClientCA: filepath.Join(dir, "ca")}
	seen := map[string]string{}
	note := func(what string) {
		t.Helper()
		sum := fmt.Sprintf("%x", files.Fingerprint())
		if before, known := seen[sum]; known {
			t.Errorf("%s is as %s", what, before)
		}
		seen[sum] = what
	}
	note("no file")
	for _, file := range []string{files.Cert, files.Key, files.ClientCA} {
		for _, text := range []string{"", "1", "2"} {
			write(t, file, text)
			note(filepath.Base(file) + " " + text)
		}
	}
	if a, b := files.Fingerprint(), files.Fingerprint(); a != b {
		t.Error("the same files have two")
	}
}

// TestUpstreamFiles: what an upstream's certificate is judged by, and what Sabir shows of itself.
func TestUpstreamFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := newPair(t, dir, "a")
	f := func(files TLS, roots bool, own int, want string) {
		t.Helper()
		c, err := files.Client()
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %s", files, err, want)
			}
			return
		}
		if err != nil || (c.RootCAs != nil) != roots || len(c.Certificates) != own || c.ServerName != files.ServerName || c.InsecureSkipVerify != files.InsecureSkipVerify || c.MinVersion != tls.VersionTLS12 {
			t.Errorf("%+v: %+v, %v", files, c, err)
		}
	}
	f(TLS{ServerName: "h", InsecureSkipVerify: true}, false, 0, "")
	f(TLS{CA: cert}, true, 0, "")
	f(TLS{Cert: cert, Key: key}, false, 1, "")
	f(TLS{Cert: cert}, false, 0, "")
	f(TLS{Key: key}, false, 0, "")
	f(TLS{CA: key}, false, 0, "holds no certificate")
	f(TLS{Cert: key, Key: cert}, false, 0, "are no pair")
}

// TestFilesAreChecked: folders and key sets that cannot be used are problems of the configuration.
func TestFilesAreChecked(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"file": "x", "good.json": `{"keys": [{}]}`, "empty.json": `{"keys": []}`, "bad.json": `{`} {
		write(t, filepath.Join(dir, name), text)
	}
	f := func(want string, check func(*report)) {
		t.Helper()
		r := &report{places: map[string]place{"": {}}, found: map[string]bool{}}
		check(r)
		if got := fmt.Sprint(r.problems); (want == "") != (len(r.problems) == 0) || !strings.Contains(got, want) {
			t.Errorf("got %s, want %q", got, want)
		}
	}
	f("", func(r *report) { checkDirectory("at", "", r) })
	f("", func(r *report) { checkDirectory("at", dir, r) })
	f("is no directory", func(r *report) { checkDirectory("at", filepath.Join(dir, "file"), r) })
	f("no such file", func(r *report) { checkDirectory("at", filepath.Join(dir, "none"), r) })
	f("", func(r *report) { r.checkKeySet(filepath.Join(dir, "good.json")) })
	f("is not a JSON Web Key Set", func(r *report) { r.checkKeySet(filepath.Join(dir, "empty.json")) })
	f("is not a JSON Web Key Set", func(r *report) { r.checkKeySet(filepath.Join(dir, "bad.json")) })
	f("no such file", func(r *report) { r.checkKeySet(filepath.Join(dir, "none.json")) })
	f("store.redis.ca", func(r *report) {
		checkFiles(&Config{Store: Store{Redis: Redis{URL: RedisURL{url.URL{Scheme: "rediss"}}, CA: filepath.Join(dir, "none")}}}, r)
	})
}

// TestRelativeFiles: files and folders are seen from the folder of the configuration, unless they say where they are.
func TestRelativeFiles(t *testing.T) {
	c := &Config{Upstreams: map[string]*Upstream{"a": {Process: Process{Dir: "agents"}}, "b": {Process: Process{Dir: "/agents"}}}}
	c.normalize("/etc")
	if a, b := c.Upstreams["a"].Process.Dir, c.Upstreams["b"].Process.Dir; a != "/etc/agents" || b != "/agents" || c.Upstreams["a"].Name != "a" {
		t.Errorf("%s, %s", a, b)
	}
}

// TestAdminTLS: what is said of the address for operators is read, seen from the folder of the configuration, and printed so that it is
// read again.
func TestAdminTLS(t *testing.T) {
	dir := t.TempDir()
	newPair(t, dir, "own")
	const rest = "\nlisten: 127.0.0.1:0\nupstreams: {a: {url: 'http://127.0.0.1:1/', dialect: evolve}}\nroutes: [{path: /a, upstream: a, client: agui}]\n"
	file := filepath.Join(dir, "sabir.yaml")
	f := func(admin, listen string, files *ServerTLS, printed string) {
		t.Helper()
		write(t, file, "admin: "+admin+rest)
		c, err := Load(file, registry, env)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Admin{Listen: listen, TLS: files}); !reflect.DeepEqual(c.Admin, want) {
			t.Errorf("%s: %+v", admin, c.Admin)
		}
		if !strings.Contains(c.String(), printed) {
			t.Errorf("%s is printed without %q", admin, printed)
		}
		if again, err := Parse(file, []byte(c.String()), registry, env); err != nil || !reflect.DeepEqual(again.Admin, c.Admin) {
			t.Errorf("%s: %v, %+v", admin, err, again)
		}
	}
	cert, key := filepath.Join(dir, "own.crt"), filepath.Join(dir, "own.key")
	f("127.0.0.1:7", "127.0.0.1:7", nil, "admin: 127.0.0.1:7\n")
	f(`""`, "", nil, `admin: ""`)
	f("{}", "127.0.0.1:9090", nil, "admin: 127.0.0.1:9090\n")
	f("{listen: ':7'}", ":7", nil, "admin: :7\n")
	f("{tls: {cert: own.crt, key: own.key, client_ca: own.crt}}", "127.0.0.1:9090", &ServerTLS{Cert: cert, Key: key, ClientCA: cert}, "client_ca: "+cert)
}
