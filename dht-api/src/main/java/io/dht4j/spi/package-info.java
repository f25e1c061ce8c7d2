/**
 * The interfaces of replaceable parts: {@link io.dht4j.spi.Transport}, {@link io.dht4j.spi.Store},
 * {@link io.dht4j.spi.Placement}, {@link io.dht4j.spi.HashFunction} and {@link io.dht4j.spi.Environment}. Instances are
 * passed to the cluster's builder; nothing is discovered by name or class path.
 */
@NullMarked
package io.dht4j.spi;

import org.jspecify.annotations.NullMarked;
