/** The settings of a server, and the configuration that they make. */
@NullMarked
package io.dht4j.server.config;

import org.jspecify.annotations.NullMarked;
