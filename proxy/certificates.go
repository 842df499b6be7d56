package proxy

import (
	"crypto/x509"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// openCertificates reads the files of both listeners. Operators are served by HTTP/1.1 alone.
func (s *Server) openCertificates(cfg *config.Config) error {
	if cfg.TLS != nil {
		s.certs = inbound.NewCertificates("tls", inbound.ListenerClients, cfg.HTTP2.Protocols(), s.log, s.metrics.tls())
	}
	if cfg.Admin.TLS != nil {
		s.adminCerts = inbound.NewCertificates("admin.tls", inbound.ListenerAdmin, []string{config.ProtoHTTP1}, s.log, s.metrics.tls())
	}
	return s.followCertificates(cfg)
}

// followCertificates takes the files of a configuration over, all or none.
func (s *Server) followCertificates(cfg *config.Config) error {
	clients, err := s.certs.Read(cfg.TLS)
	if err != nil {
		return err
	}
	operators, err := s.adminCerts.Read(cfg.Admin.TLS)
	if err != nil {
		return err
	}
	clients()
	operators()
	return nil
}

// certOf is the certificate of a client, nil if it has none that is trusted now.
func (s *Server) certOf(from *sender) *x509.Certificate {
	if !s.certs.Trusted(from.chain, from.shaken) {
		return nil
	}
	return from.chain[0]
}
