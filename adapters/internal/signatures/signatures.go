// Package signatures holds what providers of models sign: where the signature of a text stands in the provider metadata of the AI SDK, which
// other frameworks pass on, and those of texts that are open.
package signatures

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// members are where providers put the signature of a text, or its encrypted form: Sabir and Anthropic, Anthropic for redacted thinking, OpenAI,
// Google.
var members = [...]string{"signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"}

// Of finds the signature in provider metadata, whoever the provider is.
func Of(metadata rawjson.Value) []byte {
	for _, provider := range rawjson.EachField(metadata) {
		for _, name := range members {
			if sig := rawjson.Text(provider, name); len(sig) > 0 {
				return sig
			}
		}
	}
	return nil
}

// Redacted names a part of reasoning that is there in encrypted form only.
const Redacted = "redacted"

// maxOpen bounds how many texts are open that have one. What comes beyond it is not kept; no stream known to work comes near it.
const maxOpen = 1024

// Open are the signatures of texts that are open: providers put them on the start, a delta or the end.
type Open []open

type open struct{ id, sig []byte }

// Keep keeps the signature of a text; a later one replaces it. An empty one is none.
func (o *Open) Keep(id, sig []byte) {
	if len(sig) == 0 {
		return
	}
	for i := range *o {
		if s := &(*o)[i]; bytes.Equal(s.id, id) {
			s.sig = append(s.sig[:0], sig...)
			return
		}
	}
	if len(*o) < maxOpen {
		*o = append(*o, open{bytes.Clone(id), bytes.Clone(sig)})
	}
}

// Take returns the signature of a text that ends, which is not kept any longer; nil if it has none.
func (o *Open) Take(id []byte) []byte {
	for i := range *o {
		if s := (*o)[i]; bytes.Equal(s.id, id) {
			*o = append((*o)[:i], (*o)[i+1:]...)
			return s.sig
		}
	}
	return nil
}
