package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// authMetrics are those of TLS and of guards.
func (m *metrics) authMetrics() {
	m.handshakes = m.counter("tls_handshake_errors_total", "Connections of clients whose TLS handshake failed, by listener (clients, admin) and cause (plain_http, timeout, client_certificate, other).", "listener", "cause")
	m.certReads = m.counter("tls_certificate_reads_total", "Attempts to read changed certificates, by listener (clients, admin) and result (ok, failed).", "listener", "result")
	m.certExpiry = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "tls_certificate_expiry_timestamp_seconds", Help: "When the certificate that is shown expires, by listener (clients, admin); 0 without TLS."}, []string{"listener"})
	m.registry.MustRegister(m.certExpiry)
	for _, listener := range []string{inbound.ListenerClients, inbound.ListenerAdmin} {
		m.tlsOf(listener)
	}
	m.http2 = newHTTP2Metrics(m)
	m.auth = m.counter("auth_total", "Requests to routes with auth, by the scheme that decided and what it said (ok, missing, refused, forbidden, unavailable).", "route", "scheme", "result")
	m.keyFetches = m.counter("jwks_fetches_total", "Attempts to fetch the public keys of tokens, by result (ok, failed).", "result")
	m.keyFetches.WithLabelValues("ok")
	m.keyFetches.WithLabelValues("failed")
}

// tlsOf makes the series of a listener, so that they are there before anything is counted.
func (m *metrics) tlsOf(listener string) {
	for _, cause := range inbound.HandshakeCauses {
		m.handshakes.WithLabelValues(listener, cause)
	}
	m.certReads.WithLabelValues(listener, "ok")
	m.certReads.WithLabelValues(listener, "failed")
	m.certExpiry.WithLabelValues(listener)
}

// tls are those of certificates and handshakes.
func (m *metrics) tls() inbound.TLSMetrics {
	return inbound.TLSMetrics{Expiry: m.certExpiry, Handshakes: m.handshakes, Reread: func(listener string, err error) {
		m.certReads.WithLabelValues(listener, resultOf(err)).Inc()
	}}
}

// resultOf is the label of an attempt.
func resultOf(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}

// fetched counts an attempt to fetch public keys.
func (m *metrics) fetched(err error) { m.keyFetches.WithLabelValues(resultOf(err)).Inc() }

// authenticated counts what a scheme says of a request.
func (r *routeMetrics) authenticated(scheme string, result auth.Result) {
	r.all.auth.WithLabelValues(r.route, scheme, string(result)).Inc()
}

// newHTTP2Metrics makes those of HTTP/2.
func newHTTP2Metrics(m *metrics) (h inbound.HTTP2Metrics) {
	h.Open = m.gauge("http2_connections_open", "Connections of clients that are open and speak HTTP/2.")
	h.Streams = m.counter("http2_requests_total", "Requests of clients that came by HTTP/2.").WithLabelValues()
	h.Faults = m.counter("http2_errors_total", "Errors of clients in HTTP/2: frames that are wrong, streams that are reset too fast, connections that are lost.").WithLabelValues()
	return h
}
