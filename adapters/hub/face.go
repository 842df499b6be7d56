package hub

// A Face speaks with one client that is on a connection for longer than a turn, such as an editor: it answers what the client says
// around turns. Its answers are lines. It does no I/O.
type Face interface {
	// Receive takes a message of the client. It appends the answer that is due at once, and says what else the client wants.
	Receive(dst, message []byte) ([]byte, ClientMessage)

	// Sent takes records that the encoder has written for the client, whose answers may come.
	Sent(records []byte)

	// Overhears reports whether a record that the encoder has written is for clients as well that have not asked for the turn, but come to
	// it while it goes on.
	Overhears(record []byte) bool

	// Began appends the answer to a message that begins a conversation, or returns to one: with the messages to be replayed. t is
	// nil if there is none of that name.
	Began(dst []byte, m *ClientMessage, t *Thread) []byte
}

// FaceConfig is what a client is able to do with conversations that it began on an earlier connection.
type FaceConfig struct {
	Load   bool // have them replayed
	Resume bool // go on with them
}

// FaceHTTP is how clients of a [Face] speak by HTTP: each of their messages is a POST, and what they receive comes in event streams, one
// for the connection and one for each conversation.
type FaceHTTP struct {
	Connection, Thread string // header fields that name them

	// Opens reports whether a message opens a connection. It is answered in the response.
	Opens func(message []byte) bool
}

// ClientMessage is what a client wants by a message.
type ClientMessage struct {
	Kind   ClientMessageKind
	Call   []byte   // raw: the id of the message, where it has one; valid as long as the message
	Thread []byte   // string body: the conversation that it is about
	Replay bool     // of ClientReturns: its messages are to be replayed
	Answer Decision // to a question, of ClientAnswers
}

// ClientMessageKind says what a message is.
type ClientMessageKind uint8

// Kinds of messages.
const (
	ClientSettled ClientMessageKind = iota // there is nothing to do but to send the answer
	ClientTurn                             // the message is the request for a turn
	ClientBegins                           // a conversation
	ClientReturns                          // to a conversation
	ClientCancels                          // the turn of a conversation
	ClientAnswers                          // a question
)
