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

// Of finds the signature in provider metadata, whoever the provider is. One of Sabir's comes first, as it stands for others.
func Of(metadata rawjson.Value) []byte {
	if own := ownOf(metadata); len(own) > 0 {
		return own
	}
	for _, provider := range rawjson.EachField(metadata) {
		for _, name := range members {
			if sig := rawjson.Text(provider, name); len(sig) > 0 {
				return sig
			}
		}
	}
	return nil
}

// ownOf is a signature that Sabir has put there.
func ownOf(metadata rawjson.Value) []byte { return rawjson.Text(metadata, "sabir", "signature") }

// OfMetadata is what goes back to a server for provider metadata that hold a signature, nil where they hold none: one that stands for the
// whole, as a provider finds its own there only.
func OfMetadata(metadata rawjson.Value) []byte {
	switch sig := Of(metadata); {
	case len(sig) == 0:
		return nil
	case len(ownOf(metadata)) > 0:
		return sig
	}
	return AppendSealed(nil, []byte(`{"`+memberMetadata+`":`), metadata, []byte{'}'})
}

// Metadata are the provider metadata that a signature stands for, nil if it stands for none.
func Metadata(sig []byte) rawjson.Value { return rawjson.Get(Opened(sig), memberMetadata) }

const memberMetadata = "providerMetadata"

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
