"""Every class of trouble with AWS is told apart, and told once."""

from __future__ import annotations

import pytest
from botocore import exceptions as boto

from ansible_collections.eksops.karpenter.plugins.module_utils._aws.errors import error_kind, wrap


def client_error(code: str, message: str = "text") -> boto.ClientError:
    return boto.ClientError({"Error": {"Code": code, "Message": message}}, "DescribeCluster")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (boto.NoCredentialsError(), "no_credentials"),
        (boto.ProfileNotFound(profile="x"), "no_credentials"),
        (boto.PartialCredentialsError(provider="env", cred_var="x"), "no_credentials"),
        (boto.SSOTokenLoadError(error_msg="x"), "expired"),
        (boto.UnauthorizedSSOTokenError(), "expired"),
        (boto.CredentialRetrievalError(provider="p", error_msg="Token has expired"), "expired"),
        (client_error("ExpiredTokenException"), "expired"),
        (client_error("ExpiredToken"), "expired"),
        (client_error("RequestExpired"), "expired"),
        (client_error("UnrecognizedClientException"), "rejected"),
        (client_error("InvalidClientTokenId"), "rejected"),
        (client_error("AccessDeniedException"), "denied"),
        (client_error("UnauthorizedOperation"), "denied"),
        (client_error("ThrottlingException"), "throttled"),
        (client_error("RequestLimitExceeded"), "throttled"),
        (client_error("ResourceNotFoundException"), "not_found"),
        (client_error("InvalidSubnetID.NotFound"), "not_found"),
        (client_error("NoSuchEntity"), "not_found"),
        (client_error("ValidationError", "Stack with id x does not exist"), "not_found"),
        (client_error("ValidationError", "No updates are to be performed"), "other"),
        (client_error("ResourceInUseException"), "conflict"),
        (client_error("InvalidParameterException"), "other"),
        (boto.EndpointConnectionError(endpoint_url="https://x"), "unreachable"),
        (boto.ConnectTimeoutError(endpoint_url="https://x"), "unreachable"),
        (boto.ReadTimeoutError(endpoint_url="https://x"), "unreachable"),
        (boto.SSLError(endpoint_url="https://x", error="e"), "unreachable"),
        (boto.ProxyConnectionError(proxy_url="http://x"), "unreachable"),
    ],
)
def test_the_kind_of_an_error(error: Exception, kind: str) -> None:
    assert error_kind(error) == kind


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (client_error("ExpiredToken", "The security token included in the request is expired"), "have expired"),
        (client_error("AccessDeniedException", "User: x is not authorized"), "Access denied for eks:DescribeCluster"),
        (boto.NoCredentialsError(), "No AWS credentials"),
        (boto.EndpointConnectionError(endpoint_url="https://x"), "cannot be reached"),
        (client_error("ThrottlingException"), "throttles"),
        (client_error("InvalidParameterException", "bad name"), "InvalidParameterException: bad name"),
    ],
)
def test_an_error_names_call_region_and_remedy(error: Exception, said: str) -> None:
    wrapped = wrap(error, service="eks", operation="DescribeCluster", region="eu-west-1", about="shop")
    assert said in str(wrapped)
    assert "eks:DescribeCluster" in str(wrapped)
    assert "(in shop)" in str(wrapped)
    if wrapped.kind != "other":
        assert wrapped.next_step
