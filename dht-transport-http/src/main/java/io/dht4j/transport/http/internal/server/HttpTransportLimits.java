package io.dht4j.transport.http.internal.server;

/**
 * The bounds of the peer endpoint.
 *
 * @param maxFrameBytes the largest request and reply
 * @param maxInFlight the most requests in flight
 * @param maxInFlightBytes the most bytes of requests in flight and of replies that are being written
 */
public record HttpTransportLimits(int maxFrameBytes, int maxInFlight, long maxInFlightBytes) {}
