/**
 * Functions for which the wrapped server has no option, on the classes of its own network library. Connections are
 * counted when they are accepted, before TLS and before a first byte, and HTTP/1.1 requests are checked before the
 * server sees them. Only this package uses those classes, and only this module uses this package.
 */
@org.jspecify.annotations.NullMarked
package io.dht4j.transport.http.internal.netty;
