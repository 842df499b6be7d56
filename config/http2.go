package config

// Protocols, as they are named where TLS negotiates them.
const (
	ProtoHTTP1 = "http/1.1"
	ProtoHTTP2 = "h2"
)

// HTTP2 says where clients may speak HTTP/2. WebSockets stay on HTTP/1.1, as browsers have them. It is that of the start: a reload does
// not change it.
type HTTP2 struct {
	// Offers it to clients that come by TLS (ALPN).
	TLS bool `yaml:"tls"`
	// Takes it without TLS, where there is no tls: from clients that begin with it (prior knowledge), such as a proxy in front.
	Cleartext bool `yaml:"cleartext"`
	// How many requests one connection may have open at the same time; more wait at the client.
	Streams int `yaml:"streams" jsonschema:"minimum=1,maximum=10000"`
}

// Protocols are those that clients can choose from where they come by TLS.
func (h *HTTP2) Protocols() []string {
	if h.TLS {
		return []string{ProtoHTTP2, ProtoHTTP1}
	}
	return []string{ProtoHTTP1}
}
