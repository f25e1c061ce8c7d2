/** What both ends of the public API share: errors and names. */
@NullMarked
package io.dht4j.transport.grpc.api.internal.common;

import org.jspecify.annotations.NullMarked;
