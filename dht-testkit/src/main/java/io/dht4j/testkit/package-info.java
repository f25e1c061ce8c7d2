/**
 * The testkit: contract suites for every SPI, and parts for tests of clusters within one process. It needs the API and
 * test libraries only.
 *
 * <ul>
 *   <li>{@code store}, {@code transport}, {@code placement}: the contracts of the SPIs; {@code http}: the contract of
 *       the public HTTP API
 *   <li>{@code network}: a network within the process, faulty calls, silent links, free ports
 *   <li>{@code time}: virtual time
 *   <li>{@code tls}: the contract of transports with TLS, and certificates
 *   <li>{@code leaks}: leaked resources
 * </ul>
 */
@NullMarked
package io.dht4j.testkit;

import org.jspecify.annotations.NullMarked;
