// A server based on the Go library centrifuge, like Centrifugo. Clients use the same JSON protocol. On a busy
// connection, one frame contains several documents, one per line.
//
// Prints the port that it listens on. GET /counts returns the numbers of publications accepted and of publications
// written to connections.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/centrifugal/centrifuge"
	"github.com/centrifugal/protocol"
)

type counts struct {
	Published atomic.Int64
	Written   atomic.Int64
}

func main() {
	node, err := centrifuge.New(centrifuge.Config{LogLevel: centrifuge.LogLevelError, LogHandler: func(entry centrifuge.LogEntry) {
		log.Println(entry.Message, entry.Fields)
	}})
	if err != nil {
		log.Fatal(err)
	}
	var counted counts
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{UserID: ""}}, nil
	})
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(_ centrifuge.SubscribeEvent, reply centrifuge.SubscribeCallback) {
			reply(centrifuge.SubscribeReply{}, nil)
		})
		client.OnPublish(func(_ centrifuge.PublishEvent, reply centrifuge.PublishCallback) {
			counted.Published.Add(1)
			reply(centrifuge.PublishReply{}, nil)
		})
	})
	node.OnTransportWrite(func(_ *centrifuge.Client, event centrifuge.TransportWriteEvent) bool {
		if event.FrameType == protocol.FrameTypePushPublication {
			counted.Written.Add(1)
		}
		return true
	})
	if err := node.Run(); err != nil {
		log.Fatal(err)
	}
	http.Handle("/connection/websocket", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{}))
	http.HandleFunc("/counts", func(response http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(response).Encode(map[string]int64{"published": counted.Published.Load(), "written": counted.Written.Load()})
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}
