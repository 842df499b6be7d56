package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"

	"github.com/sabir-proxy/sabir/config"
)

var (
	errNoKeys     = errors.New("no public keys are known")
	errUnknownKey = errors.New("the key of the token is not known")
	errUnverified = errors.New("the token names no key, and none that is known verifies it")

	errOtherAlgorithm = fmt.Errorf("%w: the key is for another algorithm", jwt.ErrTokenSignatureInvalid)
)

// Bounds of fetching public keys.
const (
	fetchTime  = 5 * time.Second
	fetchPause = 10 * time.Second // between two attempts, however many tokens have keys that are not known
	maxKeySet  = 1 << 20          // bytes
	maxKeys    = 100              // each is tried for a token that names none
)

// KeySet are the public keys of an identity provider. They are fetched beside all requests; a request waits for that only if its
// token has a key that is not known. While they cannot be fetched, those that are known go on to count.
type KeySet struct {
	where  string
	fetch  func(context.Context) ([]byte, error)
	pause  time.Duration
	report func(error) // of each attempt
	ctx    context.Context
	end    context.CancelFunc
	all    sync.WaitGroup

	mu       sync.Mutex
	every    time.Duration
	keys     jwt.Keyfunc // nil: none were fetched yet
	err      error       // of the last attempt
	tried    time.Time   // when it began
	fetched  time.Time   // when the keys were
	fetching chan struct{}
}

// NewKeySet makes the keys of a configuration. Those of a file are there at once, those of a URL are being fetched.
func NewKeySet(cfg *config.JWT, dial Dial, report func(error)) (*KeySet, error) {
	s := &KeySet{where: cfg.JWKS, every: cfg.Refresh, pause: fetchPause, report: report}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.fetch = func(ctx context.Context) ([]byte, error) { return download(ctx, cfg.JWKS, dial) }
	if cfg.Remote() {
		s.start()
		return s, nil
	}
	s.fetch = func(context.Context) ([]byte, error) { return readBounded(cfg.JWKS) }
	data, err := readBounded(cfg.JWKS)
	if err == nil {
		s.keys, err = parseKeys(data)
	}
	s.fetched = time.Now()
	return s, err
}

// Close ends the fetching.
func (s *KeySet) Close() {
	s.end()
	s.all.Wait()
}

// Current are the keys that are known, nil if there are none yet. Old ones are fetched again meanwhile.
func (s *KeySet) Current() jwt.Keyfunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.fetched) > s.every {
		s.begin()
	}
	return s.keys
}

// Renew fetches the keys, unless that was just tried, and returns those that are known then. It waits for the attempt.
func (s *KeySet) Renew() jwt.Keyfunc {
	s.mu.Lock()
	s.begin()
	running := s.fetching
	s.mu.Unlock()
	if running != nil {
		<-running
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys
}

// Failing reports whether the last attempt has failed.
func (s *KeySet) Failing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// keep takes over what a changed configuration says, and fetches the keys soon.
func (s *KeySet) keep(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.every = every
	s.begin()
}

func (s *KeySet) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
}

// begin begins an attempt, unless one runs, or one has begun a short while ago. The caller holds s.mu.
func (s *KeySet) begin() {
	if s.fetching != nil || time.Since(s.tried) < s.pause || s.ctx.Err() != nil {
		return
	}
	s.tried, s.fetching = time.Now(), make(chan struct{})
	s.all.Go(s.attempt)
}

func (s *KeySet) attempt() {
	ctx, cancel := context.WithTimeout(s.ctx, fetchTime)
	defer cancel()
	data, err := s.fetch(ctx)
	var keys jwt.Keyfunc
	if err == nil {
		keys, err = parseKeys(data)
	}
	if s.ctx.Err() == nil {
		s.report(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err == nil {
		s.keys, s.fetched = keys, time.Now()
	}
	close(s.fetching)
	s.fetching = nil
}

// download fetches a document. Redirects are not followed: they could lead to where anybody can write keys.
func download(ctx context.Context, url string, dial Dial) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server of the public keys answers with status %d", resp.StatusCode)
	}
	return bounded(resp.Body)
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxKeySet+1))
	if err == nil && len(data) > maxKeySet {
		err = errors.New("the public keys are larger than 1 MiB")
	}
	return data, err
}

// parseKeys reads a key set. A key of a kind that is not known does not harm the others.
func parseKeys(data []byte) (jwt.Keyfunc, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, errors.New("the public keys are no JSON Web Key Set")
	}
	var keys publicKeys
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		key, err := jwkset.NewJWKFromRawJSON(raw, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
		if err == nil {
			keys.add(key)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set holds no public key that can be used")
	}
	return keys.of, nil
}

// publicKeys are those of a set by which signatures can be verified.
type publicKeys []publicKey

type publicKey struct {
	kid, alg string // "" for none
	key      crypto.PublicKey
}

// add adds a key, unless it is one for something else than signatures, or a shared secret.
func (all *publicKeys) add(key jwkset.JWK) {
	said, public := key.Marshal(), key.Key()
	if pair, is := public.(interface{ Public() crypto.PublicKey }); is {
		public = pair.Public()
	}
	if said.USE != "" && said.USE != jwkset.UseSig {
		return
	}
	switch public.(type) {
	case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:
		*all = append(*all, publicKey{said.KID, said.ALG.String(), public})
	}
}

// of finds the keys that may have signed a token: those of its kid, of which a set may have several (RFC 7517 §4.5), and all for a token without
// one. A key that names its algorithm is for that alone.
func (all publicKeys) of(t *jwt.Token) (any, error) {
	kid, named := t.Header["kid"]
	known := !named
	var fit jwt.VerificationKeySet
	for _, k := range all {
		if named && k.kid != kid {
			continue
		}
		known = true
		if k.alg == "" || k.alg == t.Method.Alg() {
			fit.Keys = append(fit.Keys, k.key)
		}
	}
	switch {
	case !known:
		return nil, errUnknownKey
	case len(fit.Keys) == 0:
		return nil, errOtherAlgorithm
	}
	return fit, nil
}
