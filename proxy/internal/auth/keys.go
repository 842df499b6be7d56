package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
)

// Fields in which SDKs send the key of an API.
const (
	apiKeyHeader    = "X-Api-Key"
	googleKeyHeader = "X-Goog-Api-Key"
)

// Keys are those of clients. Only their hashes are known.
type Keys []hashedKey

type hashedKey struct {
	name string
	sum  [sha256.Size]byte
}

// NewKeys makes ready checked keys.
func NewKeys(list []config.Key) (Keys, error) {
	keys := make(Keys, len(list))
	for i, key := range list {
		keys[i].name = key.Name
		if n, err := hex.Decode(keys[i].sum[:], []byte(key.SHA256)); err != nil || n != sha256.Size {
			return nil, errors.New("the hash of a key is none")
		}
	}
	return keys, nil
}

// KeyOf is one key, of its hash in hexadecimal.
func KeyOf(sum string) (Keys, error) { return NewKeys([]config.Key{{Name: "key", SHA256: sum}}) }

// find returns the name of a key, "" for an unknown one. It takes the same time for every key.
func (k Keys) find(key string) (name string) {
	sum := sha256.Sum256([]byte(key))
	for i := range k {
		if subtle.ConstantTimeCompare(sum[:], k[i].sum[:]) == 1 {
			name = k[i].name
		}
	}
	return name
}

// Check implements [Scheme]. A request may have one field that is for the upstream, beside that with its key; but keys of two
// clients are refused, since the client would be ambiguous.
func (k Keys) Check(req *Request) Answer {
	a := Answer{Result: Missing, Why: "no key was sent"}
	for _, sent := range []struct{ field, key string }{
		{fasthttp.HeaderAuthorization, bearer(req.Header)},
		{apiKeyHeader, strings.TrimSpace(string(req.Header.Peek(apiKeyHeader)))},
		{googleKeyHeader, strings.TrimSpace(string(req.Header.Peek(googleKeyHeader)))},
	} {
		if sent.key == "" {
			continue
		}
		name := k.find(sent.key)
		switch {
		case name == "" && a.Result == Missing:
			a = Answer{Result: Refused, Why: fmt.Sprintf("the key in %s is not known", sent.field)}
		case name == "":
		case a.Result == OK && a.Who != name:
			return Answer{Result: Refused, Why: "keys of two clients were sent"}
		default:
			a = Answer{Result: OK, Who: name, Used: append(a.Used, strings.ToLower(sent.field))}
		}
	}
	return a
}
