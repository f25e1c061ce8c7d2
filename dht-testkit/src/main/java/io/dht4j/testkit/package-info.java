/** Contract suites for every SPI, reference implementations to compare with, a loopback transport and virtual time. */
@NullMarked
package io.dht4j.testkit;

import org.jspecify.annotations.NullMarked;
