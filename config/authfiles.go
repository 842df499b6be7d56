package config

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ServerTLS is how clients are served by TLS. The files are PEM, seen from the folder of the configuration file. They are read again
// when they change, without harm to connections that stand.
type ServerTLS struct {
	// The certificate, with those between it and one that clients trust.
	Cert string `yaml:"cert" jsonschema:"required"`
	// Its private key.
	Key string `yaml:"key" jsonschema:"required"`
	// The certificates of who issues those of clients. Clients are asked for one then; one that cannot be verified ends the
	// handshake. Whether a client needs one, routes say with auth. Empty: clients are asked for none.
	ClientCA string `yaml:"client_ca"`
}

// Server reads the files and returns the TLS configuration for clients, which choose one of the protocols.
func (t *ServerTLS) Server(protocols []string) (*tls.Config, error) {
	pair, err := readPair(t.Cert, t.Key)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: protocols}
	if t.ClientCA == "" {
		return c, nil
	}
	c.ClientAuth = tls.VerifyClientCertIfGiven
	c.ClientCAs, err = readPool(t.ClientCA)
	return c, err
}

// Fingerprint identifies what the files hold. Times of files do not: they can be as coarse as the clock of the system.
func (t *ServerTLS) Fingerprint() (sum [sha256.Size]byte) {
	all := sha256.New()
	for _, file := range []string{t.Cert, t.Key, t.ClientCA} {
		data, err := readFile(file)
		fmt.Fprintf(all, "%x %v\n", sha256.Sum256(data), err)
	}
	return [sha256.Size]byte(all.Sum(nil))
}

// readPair reads a certificate and its key.
func readPair(cert, key string) (tls.Certificate, error) {
	var none tls.Certificate
	certPEM, err := readFile(cert)
	if err != nil {
		return none, fmt.Errorf("cannot read the certificate: %w", err)
	}
	keyPEM, err := readFile(key)
	if err != nil {
		return none, fmt.Errorf("cannot read the private key: %w", err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return none, fmt.Errorf("%s and %s are no pair: %w", cert, key, err)
	}
	return pair, nil
}

// readPool reads certificates to trust.
func readPool(file string) (*x509.CertPool, error) {
	pem, err := readFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// Bounds of a folder of keys.
const (
	maxKeyFiles = 10_000
	maxKeyFile  = 4 << 10
	leastKey    = 16 // bytes; a shorter one can be guessed
)

// AllKeys are the keys of the configuration and those of the folder, which is read anew.
func (a *Auth) AllKeys() ([]Key, error) {
	if a.KeysDir == "" {
		return a.Keys, nil
	}
	files, err := os.ReadDir(a.KeysDir)
	if err != nil {
		return nil, err
	}
	if len(files) > maxKeyFiles {
		return nil, fmt.Errorf("%s holds more than %d files", a.KeysDir, maxKeyFiles)
	}
	keys := append([]Key{}, a.Keys...)
	for _, f := range files {
		path := filepath.Join(a.KeysDir, f.Name())
		if info, err := os.Stat(path); strings.HasPrefix(f.Name(), ".") || err == nil && info.IsDir() {
			continue // such as ..data of a mounted secret
		}
		key, err := readKey(path, f.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		keys = append(keys, key)
	}
	return keys, distinctKeys(keys)
}

// readKey reads the file of one key. Errors do not repeat it.
func readKey(path, name string) (Key, error) {
	if !keyName.MatchString(name) {
		return Key{}, errors.New("its name, which is that of the client, must be 1 to 64 letters, digits and . _ - @")
	}
	data, err := readFile(path)
	if err != nil {
		return Key{}, err
	}
	text := strings.TrimSpace(string(data))
	if len(text) < leastKey || len(text) > maxKeyFile || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Key{}, fmt.Errorf("must hold one key: %d to %d printable characters without spaces", leastKey, maxKeyFile)
	}
	return Key{Name: name, SHA256: HashKey(text)}, nil
}

// distinctKeys reports keys of two clients, and clients of two keys.
func distinctKeys(keys []Key) error {
	names, sums := map[string]bool{}, map[string]string{}
	for _, key := range keys {
		if names[key.Name] {
			return fmt.Errorf("there are two keys of the name %s", quote(key.Name))
		}
		if first := sums[key.SHA256]; first != "" {
			return fmt.Errorf("%s and %s have the same key", quote(first), quote(key.Name))
		}
		names[key.Name], sums[key.SHA256] = true, key.Name
	}
	return nil
}

// checkAuthFiles reports files of credentials that cannot be used.
func checkAuthFiles(c *Config, r *report) {
	r.checkServerTLS("tls", c.TLS)
	r.checkServerTLS("admin.tls", c.Admin.TLS)
	if _, err := c.Auth.AllKeys(); err != nil && !r.foundIn("auth.keys") {
		r.add("auth.keys_dir", "%s", err)
	}
	if j := c.Auth.JWT; j != nil && j.JWKS != "" && !j.Remote() {
		r.checkKeySet(j.JWKS)
	}
}

// checkServerTLS reports files of a listener that cannot be used.
func (r *report) checkServerTLS(at string, t *ServerTLS) {
	if t != nil {
		r.checkPair(at+".cert", t.Cert, t.Key)
		r.checkPool(at+".client_ca", t.ClientCA)
	}
}

// checkPair reports files that are no certificate with its key.
func (r *report) checkPair(at, cert, key string) {
	if cert == "" || key == "" {
		return
	}
	if _, err := readPair(cert, key); err != nil {
		r.add(at, "%s", err)
	}
}

// checkPool reports a file without certificates to trust.
func (r *report) checkPool(at, file string) {
	if file == "" {
		return
	}
	if _, err := readPool(file); err != nil {
		r.add(at, "%s", err)
	}
}

// checkKeySet reports a file that holds no public keys.
func (r *report) checkKeySet(file string) {
	data, err := readFile(file)
	if err != nil {
		r.add("auth.jwt.jwks", "%s", err)
		return
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil || len(set.Keys) == 0 {
		r.add("auth.jwt.jwks", "%s is not a JSON Web Key Set: {\"keys\": [...]}", file)
	}
}
