package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
)

// BenchmarkCheck is what a credential costs a request.
func BenchmarkCheck(b *testing.B) {
	check := func(name string, scheme interface{ Check(*Request) Answer }, req *Request) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if a := scheme.Check(req); a.Result != OK {
					b.Fatal(a.Why)
				}
			}
		})
	}
	for _, n := range []int{1, 1000} {
		var list []config.Key
		for i := range n {
			sum := sha256.Sum256(fmt.Appendf(nil, "key %d", i))
			list = append(list, config.Key{Name: fmt.Sprint(i), SHA256: hex.EncodeToString(sum[:])})
		}
		keys, err := NewKeys(list)
		if err != nil {
			b.Fatal(err)
		}
		h := new(fasthttp.RequestHeader)
		h.Set("X-Api-Key", "key 0")
		check(fmt.Sprintf("keys/%d", n), keys, &Request{Header: h})
	}
	rsaKey, ecKey, okp := signers(b)
	tokens := newJWT(b, jwtConfig(newProvider(b, keySet(rsaKey, ecKey, okp)).URL))
	for _, s := range []*signer{rsaKey, ecKey, okp} {
		check("jwt/"+s.method.Alg(), tokens, withToken(s.token(b, nil)))
	}
}
