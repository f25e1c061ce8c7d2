/**
 * What the wrapped server offers no option for, done with the classes of its own network library: connections are
 * counted when they are accepted, before TLS and before a first byte, and HTTP/1.1 requests are looked at before the
 * server sees them. Nothing else of this module uses those classes, and nobody outside of it may use this package.
 */
@org.jspecify.annotations.NullMarked
package io.dht4j.transport.http.internal;
