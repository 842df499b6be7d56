package signatures

import (
	"bytes"
	"encoding/base64"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Some servers want back more than a signature: an object, in the place that they had it in. It passes through clients as a signature, as
// each of them has a place for one. In base64 it is a legal one everywhere, and what begins like this is none of a provider's.
const (
	sealedHead   = `{"sabir":` // of a length that base64 writes without what follows
	sealedPrefix = "eyJzYWJpciI6"
)

// AppendSealed appends the signature that stands for a JSON value.
func AppendSealed(dst []byte, pieces ...[]byte) []byte {
	size := len(sealedHead) + 1
	for _, p := range pieces {
		size += len(p)
	}
	plain := append(make([]byte, 0, size), sealedHead...)
	for _, p := range pieces {
		plain = append(plain, p...)
	}
	return base64.StdEncoding.AppendEncode(dst, append(plain, '}'))
}

// IsSealed reports whether a signature stands for a value.
func IsSealed(sig []byte) bool { return bytes.HasPrefix(sig, []byte(sealedPrefix)) }

// Opened is the object that a signature stands for, nil if it stands for none. It has been with a client, so it may be anything.
func Opened(sig []byte) rawjson.Value {
	if !IsSealed(sig) {
		return nil
	}
	plain, err := base64.StdEncoding.AppendDecode(nil, sig)
	var json rawjson.Decoder
	if err != nil || !rawjson.IsUTF8(plain) || json.Valid(plain) != nil {
		return nil
	}
	return rawjson.OfKind(rawjson.Get(plain, "sabir"), '{')
}
