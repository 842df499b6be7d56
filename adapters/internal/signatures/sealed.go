package signatures

import (
	"bytes"
	"encoding/base64"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
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

// The members of what stands for the signature of a call.
const (
	memberCall = "call"
	memberSig  = "sig"
)

// SealCall returns the signature of reasoning that stands for that of a call, both string bodies. Most dialects have no place for one there.
func SealCall(id, sig []byte) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Text(memberCall, id)
	w.Text(memberSig, sig)
	w.Close('}')
	return AppendSealed(nil, w.Buf)
}

// Call is the signature of a call that one of reasoning stands for; nil if it stands for none.
func Call(sealed []byte) (id, sig []byte) {
	opened := Opened(sealed)
	return rawjson.Text(opened, memberCall), rawjson.Text(opened, memberSig)
}

// What stands for the name of the member in which reasoning came in plain words. It is no signature of a provider's: it says where the words
// go if they go back.
const (
	memberHead   = sealedHead + `{"member"` // of a length that base64 writes without what follows
	memberPrefix = "eyJzYWJpciI6eyJtZW1iZXIi"
)

// SealMember returns the signature of reasoning that came in a member of a message of the model.
func SealMember(name string) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Const("member", name)
	w.Close('}')
	return AppendSealed(nil, w.Buf)
}

// NamesMember reports whether a signature says only in which member reasoning came. Where there is no use for that, nothing is lost with it.
func NamesMember(sig []byte) bool { return bytes.HasPrefix(sig, []byte(memberPrefix)) }

// IsSigned reports whether an event has the signature of a provider's, of which something is lost where it has no place.
func IsSigned(ev *hub.Event) bool {
	sig := ev.Rare().Sig
	return len(sig) > 0 && !NamesMember(sig)
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
